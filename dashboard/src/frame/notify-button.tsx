import { Bell, BellRing } from "lucide-react";
import { useState, type ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { useSetting } from "../data/drafts.ts";
import { NOTIFY } from "./use-notifications.ts";

/** Whether this browser tells a person while another window is in front; it is asked for by this button alone. */
export function NotifyButton(): ReactNode {
  const [isOn, setOn] = useSetting<boolean>(NOTIFY, false);
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : "denied"));
  const isHeard = isOn && permission === "granted";
  const change = async (): Promise<void> => {
    if (isHeard) return setOn(false);
    const given = await Notification.requestPermission();
    setPermission(given);
    setOn(given === "granted");
  };
  const label =
    permission === "denied"
      ? "This browser allows no notifications of this page"
      : isHeard
        ? "Notifications are on: when something waits for you or ends"
        : "Notify me when something waits for me or ends";
  return (
    <IconButton
      label={label}
      icon={isHeard ? <BellRing /> : <Bell />}
      isPressed={isHeard}
      disabled={permission === "denied"}
      onClick={() => void change()}
    />
  );
}
