// send_file: a file of the agent goes into the chat that asked.
import { z } from "zod";
import { mimeOf, safeFileName } from "../core/file-name.ts";
import { defineTool, failed } from "./tool.ts";

const mostBytes = 20_000_000;

export const sendFile = defineTool({
  name: "send_file",
  description:
    "Send a file to the user, in the chat they wrote from. Use it for what they asked to get, or for a result that is better as a file than as text. The file must lie in the workspace or in your home folder: at most 20 MB each, 10 files and 40 MB in one answer. It arrives together with the end of your answer.",
  input: z.object({
    path: z
      .string()
      .min(1)
      .max(4096)
      .describe("Absolute, or relative to the workspace, e.g. out/report.pdf"),
    name: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("The name that the user sees; the file's own when left out"),
  }),
  async run({ path, name }, { ports, scope, inlet, signal }) {
    const bytes = await ports.readFile(scope.key, path, mostBytes);
    if (typeof bytes === "string") return failed(bytes);
    if (signal.aborted) return failed("The call was taken back, so the file was not sent.");
    const shown = safeFileName(name ?? path);
    const problem = inlet.sendFile({ name: shown, mime: mimeOf(shown), bytes });
    if (problem !== undefined) return failed(problem);
    return { text: `${shown} (${bytes.byteLength} bytes) goes out with the end of your answer.` };
  },
});
