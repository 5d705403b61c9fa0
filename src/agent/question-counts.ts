// How often one turn may ask, and take back what it asked: no agent floods a chat with cards.
export type QuestionKind = "permission" | "owner" | "form";

interface Bounds {
  readonly asked: number;
  readonly takenBack: number;
}

/** Long work needs many permissions, and takes back those that it asked for at once. */
const most: Readonly<Record<QuestionKind, Bounds>> = {
  permission: { asked: 1000, takenBack: 50 },
  owner: { asked: 30, takenBack: 30 },
  form: { asked: 30, takenBack: 3 },
};

export class QuestionCounts {
  readonly #asked = new Map<QuestionKind, number>();
  readonly #takenBack = new Map<QuestionKind, number>();

  /** Counts one more, or says to the agent why it is not asked. */
  add(kind: QuestionKind): string | undefined {
    const asked = this.#asked.get(kind) ?? 0;
    if (asked >= most[kind].asked)
      return `More than ${most[kind].asked} questions in one turn are not asked. Go on without an answer, or end here and say what you need.`;
    const takenBack = this.#takenBack.get(kind) ?? 0;
    if (takenBack >= most[kind].takenBack)
      return `${takenBack} questions of this turn were taken back before anybody answered, so no more are asked. End here and say what you need.`;
    this.#asked.set(kind, asked + 1);
    return undefined;
  }

  tookBack(kind: QuestionKind): void {
    this.#takenBack.set(kind, (this.#takenBack.get(kind) ?? 0) + 1);
  }
}
