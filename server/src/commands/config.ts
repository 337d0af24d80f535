// `config`: every effective setting, its source and how to change it. Of secrets it shows only that they are set.
import { listProfileDifferences, listSettings } from '../config/list-settings.ts';
import { toJson } from './answer.ts';

export async function showConfig(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  if (asksForProfiles(args)) return showProfiles(json);
  const shown = await listSettings(args.filter(arg => arg !== '--json'));
  if (json) {
    process.stdout.write(toJson(shown));
    return 0;
  }
  const width = (pick: (setting: (typeof shown)[number]) => string) =>
    Math.max(...shown.map(setting => pick(setting).length));
  const [keys, values, sources] = [
    width(s => s.key),
    Math.min(
      40,
      width(s => s.value),
    ),
    width(s => s.source),
  ];
  let group = '';
  for (const setting of shown) {
    if (setting.group !== group) process.stdout.write(`\n# ${setting.group}\n`);
    group = setting.group;
    const columns = [
      setting.key.padEnd(keys),
      (setting.value || '-').padEnd(values),
      setting.source.padEnd(sources),
      setting.env,
    ];
    process.stdout.write(`${columns.join('  ')}\n`);
  }
  return 0;
}

/** `--profile` with a name selects a profile, as in every command. */
function asksForProfiles(args: readonly string[]): boolean {
  const at = args.indexOf('--profile');
  return at >= 0 && (args[at + 1]?.startsWith('--') ?? true);
}

function showProfiles(json: boolean): number {
  const differences = listProfileDifferences();
  if (json) {
    process.stdout.write(toJson(differences));
    return 0;
  }
  const rows = [
    ['', 'server', 'laptop', ''],
    ...differences.map(({ key, server, laptop, help }) => [key, server, laptop, help]),
  ];
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  process.stdout.write('\nEverything else is the same. Choose with --profile NAME or RECORDPROOF_PROFILE.\n');
  return 0;
}
