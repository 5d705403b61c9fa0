// Asks for what is no secret, at a terminal.
import { createInterface } from "node:readline/promises";
import { Failure } from "./operator.ts";

/** What is typed; an empty line is the proposal, where there is one. */
export async function askLine(question: string, proposal?: string): Promise<string> {
  const shown = proposal === undefined ? `${question}: ` : `${question} [${proposal}]: `;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const givenUp = new Promise<never>((_, reject) => {
    for (const end of ["SIGINT", "close"] as const)
      lines.once(end, () => reject(new Failure("Nothing was changed.")));
  });
  try {
    for (;;) {
      const answer = (await Promise.race([lines.question(shown), givenUp])).trim();
      if (answer !== "") return answer;
      if (proposal !== undefined) return proposal;
    }
  } finally {
    lines.close();
  }
}
