// A host that an owner allows for a task, from the question in the chat to the end of the turn, which ends the connection.
import assert from "node:assert/strict";
import { once } from "node:events";
import { it } from "node:test";
import { askOwners } from "../../src/gateway/egress.ts";
import { findPairing } from "../../src/store/pairings.ts";
import { connectTo, dial, internet, openDoors, serve, until } from "../fakes/egress-rig.ts";
import { startSpine } from "../fakes/spine.ts";

const address = "93.184.216.34";

it("asks an owner, lets a tunnel pass after a yes, and closes it when the turn is over", async (t) => {
  const spine = await startSpine(t);
  await spine.join("1", "ana", "owner");
  await spine.desk.say("1", "echo begun\nhang");
  await spine.desk.until(/begun/);
  const ana = await spine.store.run(() => findPairing("ana"));
  const inlets = () => spine.gateway.ports.agent.inlets(`p-${ana?.id}`);
  const port = await serve(t, (_request, response) => void response.write("hello"));
  const ports = internet({ "new.example": [address] }, { [address]: port });
  const { proxyPort } = await openDoors(t, { ...ports, onEgress: askOwners(inlets) });
  const client = await dial(t, proxyPort, connectTo("new.example:443"));
  await spine.desk.until(/new\.example/, "1");
  await spine.desk.press("1", "Allow for this task");
  await until(client, "200 Connection established");
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await until(client, "hello");
  const [inlet] = inlets();
  assert.equal(inlet?.over.aborted, false);
  const closed = once(client.resume(), "end");
  await spine.desk.say("1", "/stop");
  await closed;
  assert.equal(inlet?.over.aborted, true);
});
