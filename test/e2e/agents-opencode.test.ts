// The real opencode in its container: it asks whatever it finds there, and goes on after its process was ended.
import { it } from "node:test";
import { boxed } from "../fakes/agents-box.ts";
import { playInBox } from "../fakes/agents-play.ts";

it(
  "opencode in a container asks, does what is allowed and nothing else, and never has the key",
  boxed("opencode"),
  (t) => playInBox(t, "opencode"),
);
