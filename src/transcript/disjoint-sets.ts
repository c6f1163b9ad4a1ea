/** Makes sets that no two have a member in common; each member points towards the one that stands for its set. */
export function createSets<Member>(): { find(member: Member): Member; join(left: Member, right: Member): void } {
  const parents = new Map<Member, Member>();
  const find = (member: Member): Member => {
    let root = member;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    for (let at = member; at !== root;) {
      const next = parents.get(at) as Member;
      parents.set(at, root);
      at = next;
    }
    return root;
  };
  return {
    find,
    join(left, right) {
      const [from, to] = [find(left), find(right)];
      if (from !== to) parents.set(from, to);
    },
  };
}
