// Which secrets a channel has, and with which of them it signs in.
import { channelSecret } from "../config/secrets.ts";
import { channelKinds, channelSecrets, type Settings } from "../config/settings.ts";

type Kind = (typeof channelKinds)[number];

export function secretsOfKind(kind: Kind): readonly string[] {
  const { needs, may } = channelSecrets[kind];
  return [...needs.flat(), ...may];
}

/** The channel whose secret this is, where it is there. */
export function channelOfSecret(channels: Settings["channels"], name: string): string | undefined {
  const [id = "", key = "", ...more] = name.split(".");
  const channel = Object.hasOwn(channels, id) ? channels[id] : undefined;
  return channel && more.length === 0 && secretsOfKind(channel.kind).includes(key) ? id : undefined;
}

interface Refused {
  readonly id: string;
  readonly kind: string;
  readonly tokenCommand?: unknown;
}

/** What to do where the platform refuses it: of the secrets that are set, what it signs in with. */
export function signInAnew({ id, kind, tokenCommand }: Refused, set: readonly string[]): string {
  if (tokenCommand !== undefined)
    return `See what its tokenCommand prints, or set another with: sallyport config set channels.${id}.tokenCommand COMMAND`;
  const known = channelKinds.find((one) => one === kind);
  // With this one it signs mail, not itself in.
  const keys = known ? secretsOfKind(known).filter((key) => key !== "dkimKey") : [];
  const names = keys.map((key) => channelSecret(id, key));
  const there = names.filter((name) => set.includes(name));
  const shown = there.length > 0 ? there : names;
  return shown.length > 0
    ? `Set it anew with: ${shown.map((name) => `sallyport secret set ${name}`).join(", or: ")}`
    : "Restart the gateway.";
}
