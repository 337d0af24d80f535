// `config`: every effective setting, its source and how to change it. Of secrets it shows only that they are set.
import { listProfileDifferences, listSettings } from '../config/list-settings.ts';
import { answer, toLines } from './outcome.ts';

const mostValueWidth = 40;

export async function showConfig(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  if (asksForProfiles(args)) return showProfiles(json);
  const shown = await listSettings(args.filter(arg => arg !== '--json'));
  return answer(json, { json: shown, text: toTable(shown) });
}

function toTable(shown: Awaited<ReturnType<typeof listSettings>>): string {
  const width = (pick: (setting: (typeof shown)[number]) => string) =>
    Math.max(...shown.map(setting => pick(setting).length));
  const keyWidth = width(setting => setting.key);
  const longestValue = width(setting => setting.value);
  const valueWidth = Math.min(mostValueWidth, longestValue);
  const sourceWidth = width(setting => setting.source);
  const lines = [...Map.groupBy(shown, setting => setting.group)].flatMap(([group, settings]) => [
    `\n# ${group}`,
    ...settings.map(({ key, value, source, env }) =>
      [key.padEnd(keyWidth), (value || '-').padEnd(valueWidth), source.padEnd(sourceWidth), env].join('  '),
    ),
  ]);
  return toLines(lines);
}

/** `--profile` with a name selects a profile, as in every command. */
function asksForProfiles(args: readonly string[]): boolean {
  const at = args.indexOf('--profile');
  return at >= 0 && (args[at + 1]?.startsWith('--') ?? true);
}

function showProfiles(json: boolean): number {
  const differences = listProfileDifferences();
  const rows = [
    ['', 'server', 'laptop', ''],
    ...differences.map(({ key, server, laptop, help }) => [key, server, laptop, help]),
  ];
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const toRow = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const closing = '\nEverything else is the same. Choose with --profile NAME or RECORDPROOF_PROFILE.';
  return answer(json, { json: differences, text: toLines([...rows.map(row => toRow(row).trimEnd()), closing]) });
}
