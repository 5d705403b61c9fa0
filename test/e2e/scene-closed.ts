// First act: a group that nobody opened, and how it is opened.
import { addressed, type Scene } from "./scene.ts";

/** Said to somebody who may not open it. */
export function closed({ stage }: Scene): RegExp {
  const said = "This chat is not open to me, so I say nothing in it. Ask an owner to send me";
  return new RegExp(`${said} ${stage.slash}enable there`);
}

export async function closedGroup(scene: Scene): Promise<void> {
  const { ana, uwe, rob, eye, silence, alone } = scene;
  await silence("ana talks to the others", () => ana.says("group", "echo good morning"));
  await silence("uwe addresses it", () => uwe.says("group", "echo hello", addressed()));
  await silence("rob addresses it", () => rob.says("group", "echo beep", addressed()));
  await silence("uwe commands", () => uwe.runs("group", "/enable"));
  await eye.step({
    name: "ana addresses it",
    act: () => ana.says("group", "echo hello", addressed()),
    sees: [alone(ana, "message", closed(scene))],
  });
  await silence("ana addresses it again", () => ana.says("group", "echo hello?", addressed()));
  await eye.step({
    name: "ana tries to open the group",
    act: () => ana.runs("group", "/enable"),
    sees: [alone(ana, "command", /Only an owner can open or close a chat to me\./)],
  });
}

export async function opening({ olga, ana, uwe, rob, eye, silence, told }: Scene): Promise<void> {
  await eye.step({
    name: "olga opens the group",
    act: () => olga.runs("group", "/enable"),
    sees: [
      told(
        olga,
        "enable",
        /^I answer here from now on, when I am addressed, and only people who are paired\.$/,
      ),
    ],
  });
  await silence("uwe addresses it", () => uwe.says("group", "echo and now?", addressed()));
  await silence("uwe addresses it in the thread", () => uwe.says("thread", "/help", addressed()));
  await silence("uwe commands", () => uwe.runs("group", "/tasks"));
  await silence("rob addresses it", () => rob.says("group", "echo beep", addressed()));
  await silence("ana talks to the others", () => ana.says("thread", "echo not for the bot"));
}
