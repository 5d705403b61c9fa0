// Turns samples into medians, ratios and lines of a table.
import { type Measure, measures, quantile, type Sample } from "./measure.ts";
import { othersMost } from "./processes.ts";

export interface Samples {
  readonly gateway: readonly Sample[];
  readonly floor: readonly Sample[];
}

export function ratioTable({ gateway, floor }: Samples): string {
  const rows = (Object.keys(measures) as Measure[]).map((measure) => {
    const [ours, bare] = [median(gateway, measure), median(floor, measure)];
    const ratio = ours.value / bare.value;
    const { unit, ...aim } = measures[measure] as Aim;
    return [
      measure,
      `${shown(ours.value)} ${unit}`,
      `${shown(bare.value)} ${unit}`,
      ratio.toFixed(2),
      judged(aim, ratio),
      `${ours.quiet}/${ours.all} ${bare.quiet}/${bare.all}`,
    ];
  });
  const head = [
    "",
    "gateway",
    "floor",
    "ratio",
    "aim",
    `quiet runs (others ≤ ${othersMost} cores)`,
  ];
  return aligned([head, ...rows]);
}

interface Aim {
  readonly unit: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

function judged({ atMost, atLeast }: Omit<Aim, "unit">, ratio: number): string {
  if (atMost !== undefined) return `≤ ${atMost} ${ratio <= atMost ? "met" : "missed"}`;
  if (atLeast !== undefined) return `≥ ${atLeast} ${ratio >= atLeast ? "met" : "missed"}`;
  return "";
}

/** Of the quiet runs; where none was quiet, of all, and the table shows it. */
function median(samples: readonly Sample[], measure: Measure) {
  const all = samples.filter((sample) => sample.measure === measure);
  const quiet = all.filter(({ others }) => others <= othersMost);
  const counted = (quiet.length > 0 ? quiet : all).map(({ value }) => value);
  counted.sort((a, b) => a - b);
  const middle = quantile(counted, 0.5);
  const value =
    counted.length % 2 === 0 ? (middle + (counted[counted.length / 2 - 1] ?? middle)) / 2 : middle;
  return { value, quiet: quiet.length, all: all.length };
}

export function shown(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
