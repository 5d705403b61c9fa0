// The lower part of a terminal that is redrawn in place; what scrolls out of it stays as it was.

export interface Output {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

export interface Frame {
  readonly rows: readonly string[];
  /** Where the cursor rests: a row of `rows`, and columns from its start. */
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface Screen {
  draw(frame: Frame): void;
  /** Everything anew (the window was resized, or cleared). */
  reset(): void;
  /** Leaves the cursor below the last row. */
  end(): void;
}

const toColumn = (column: number) => (column > 0 ? `\r\u001b[${column}C` : "\r");
function vertical(rows: number): string {
  if (rows === 0) return "";
  return rows < 0 ? `\u001b[${-rows}A` : `\u001b[${rows}B`;
}

const clearBelow = "\u001b[J";

export function createScreen(output: Output): Screen {
  let drawn: readonly string[] = [];
  let at = 0;

  return {
    draw({ rows, cursor }) {
      const first = firstChange(drawn, rows);
      if (first === rows.length && rows.length === drawn.length)
        output.write(vertical(cursor.row - at) + toColumn(cursor.column));
      else {
        const target = Math.min(first, rows.length - 1);
        // A change above the window cannot be reached: from there on it is written again, so that nothing is missing.
        const reached = Math.max(target, drawn.length - output.rows, 0);
        const isNew = reached === drawn.length && drawn.length > 0;
        const start = isNew ? `${vertical(reached - 1 - at)}\r\n` : `${vertical(reached - at)}\r`;
        const back = vertical(cursor.row - (rows.length - 1)) + toColumn(cursor.column);
        output.write(start + clearBelow + rows.slice(target).join("\r\n") + back);
      }
      drawn = rows;
      at = cursor.row;
    },
    reset() {
      output.write(`${vertical(-at)}\r${clearBelow}`);
      drawn = [];
      at = 0;
    },
    end() {
      output.write(`${vertical(Math.max(0, drawn.length - 1 - at))}\r\n`);
      drawn = [];
      at = 0;
    },
  };
}

function firstChange(before: readonly string[], after: readonly string[]): number {
  const index = after.findIndex((row, i) => row !== before[i]);
  return index < 0 ? after.length : index;
}
