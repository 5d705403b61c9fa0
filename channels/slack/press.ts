// What a private answer to a press or a command needs, kept as the press's id: it must survive a restart.

export interface Pressed {
  readonly channel: string;
  readonly user: string;
  readonly thread?: string;
  /** Where Slack takes answers for half an hour, also in conversations that the app is no member of. */
  readonly url?: string;
  readonly at: number;
}

export function pressId({
  url,
  ...press
}: Omit<Pressed, "url"> & { readonly url: string | undefined }): string {
  return JSON.stringify(url === undefined ? press : { ...press, url });
}

/** Undefined for what is none of ours. */
export function readPress(id: string): Pressed | undefined {
  try {
    const read = JSON.parse(id) as Partial<Pressed>;
    const { channel, user, at } = read;
    const whole = typeof channel === "string" && typeof user === "string" && typeof at === "number";
    return whole ? (read as Pressed) : undefined;
  } catch {
    return undefined;
  }
}
