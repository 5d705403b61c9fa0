// A listener's notes, kept as long as the test holds on to them.
import type { Notes } from "../../src/core/channel.ts";

export function notesInMemory(kept = new Map<string, string>()): Notes {
  return {
    read: async (name) => kept.get(name),
    write: async (name, value) => {
      if (value === undefined) kept.delete(name);
      else kept.set(name, value);
    },
    list: async (prefix) =>
      [...kept].flatMap(([name, value]) => (name.startsWith(prefix) ? [{ name, value }] : [])),
  };
}
