import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { createFeed, type Feed, type FeedOptions } from "../../src/core/feed.ts";

type Event =
  | { readonly do: "set"; readonly key: string; readonly value: number }
  | { readonly do: "grow"; readonly key: string; readonly value: number }
  | { readonly do: "drop"; readonly key: string }
  | { readonly do: "gap" };
type State = Map<string, number>;

function feedOf(more: Partial<FeedOptions<Event>> = {}): Feed<Event> {
  return createFeed<Event>({
    boot: "aa",
    limits: { events: 6, bytes: 10_000, behind: 100_000 },
    gap: { do: "gap" },
    foreign: "gap",
    keep: (event) => (event.do === "grow" ? event.key : true),
    standing: () => [],
    ...more,
  });
}

function apply(state: State, event: Event): void {
  if (event.do === "drop") state.delete(event.key);
  else if (event.do !== "gap") state.set(event.key, event.value);
}

/** Reads what is there; `stop` after so many events, as a connection does that is lost. */
async function read(feed: Feed<Event>, after: string, stop = Number.POSITIVE_INFINITY) {
  const following = feed.follow(after);
  following.close();
  const text = await new Response(following.stream).text();
  const events: Event[] = [];
  let last = after;
  for (const block of text.split("\n\n")) {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data !== undefined && events.length >= stop) break;
    if (data !== undefined) events.push(JSON.parse(data));
    last = /^id: (.*)$/m.exec(block)?.[1] ?? last;
  }
  return { events, last };
}

const key = fc.constantFrom("a", "b", "c");
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("set", "grow", "drop"), key }) },
  { weight: 1, arbitrary: fc.record({ read: fc.nat(8) }) },
  // It happened, and nobody told the feed.
  { weight: 1, arbitrary: fc.record({ unheard: key }) },
);

it("whoever resumes has in the end what there is, wherever it was cut off and whatever is no longer kept", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const feed = feedOf();
      const truth: State = new Map();
      let mine: State = new Map();
      let last = feed.last();
      const resume = async (stop?: number) => {
        const seen = await read(feed, last, stop);
        for (const event of seen.events) {
          // As a page does: it fetches everything again.
          if (event.do === "gap") mine = new Map(truth);
          apply(mine, event);
        }
        last = seen.last;
      };
      for (const [value, one] of steps.entries()) {
        if ("read" in one) {
          await resume(one.read);
          continue;
        }
        if ("unheard" in one) {
          truth.set(one.unheard, value);
          feed.miss();
          continue;
        }
        const event = { ...one, value } as Event;
        apply(truth, event);
        feed.emit(event);
      }
      await resume();
      assert.deepEqual([...mine].sort(), [...truth].sort());
    }),
    { numRuns: 500 },
  );
});

it("says that something is missing only when it is", async () => {
  const feed = feedOf();
  const positions: string[] = [feed.last()];
  for (let value = 1; value <= 8; value++) {
    feed.emit({ do: "set", key: `k${value}`, value });
    positions.push(feed.last());
  }
  const gaps = await Promise.all(
    positions.map(async (after) => (await read(feed, after)).events[0]?.do === "gap"),
  );
  assert.deepEqual(gaps, [true, true, ...Array(7).fill(false)]);
  for (const odd of ["aa-9", "aa-x", "aa-", "bb-3", "", "a b"])
    assert.equal((await read(feed, odd)).events[0]?.do, "gap", odd);
});

it("keeps of what grows only the latest, and misses nothing by that", async () => {
  const feed = feedOf();
  const start = feed.last();
  for (let value = 1; value <= 100; value++) feed.emit({ do: "grow", key: "a", value });
  assert.deepEqual((await read(feed, start)).events, [{ do: "grow", key: "a", value: 100 }]);
});

it("drops a follower that reads nothing, with all that it has unread", async () => {
  const feed = feedOf({ limits: { events: 6, bytes: 10_000, behind: 5000 } });
  let ended = 0;
  const { stream } = feed.follow("now", () => {
    ended += 1;
  });
  for (let value = 1; value <= 1000 && ended === 0; value++)
    feed.emit({ do: "set", key: "a", value });
  assert.equal(ended, 1);
  assert.equal(feed.followers, 0);
  await assert.rejects(new Response(stream).text());
});
