// list_tasks: what was asked for in this conversation, and what came of it.
import { z } from "zod";
import { visibleLine } from "../core/visible.ts";
import { listTasksIn, type Task } from "../store/tasks.ts";
import { defineTool } from "./tool.ts";

const shown = 20;

/** `shared`: several people ask there, so it says who did. */
function line({ id, state, createdAt, title, callerName }: Task, shared: boolean): string {
  const who = shared ? `${visibleLine(callerName)}: ` : "";
  const when = new Date(createdAt).toISOString();
  return `${id.slice(0, 8)}  ${state}  ${when}  ${who}${visibleLine(title)}`;
}

export const listTasks = defineTool({
  name: "list_tasks",
  description:
    "List the newest tasks of this conversation, newest first: id, state, when it began, and the first words of what was asked. The first one is usually what you work on now.",
  input: z.object({}),
  async run(_, { ports, scope, inlet }) {
    const tasks = await ports.store.run(() => listTasksIn(inlet.conversation, shown));
    return {
      text:
        tasks.map((task) => line(task, scope.shared === true)).join("\n") ||
        "There are no tasks yet.",
    };
  },
});
