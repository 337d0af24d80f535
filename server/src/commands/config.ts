// Shows every setting in force, where it comes from and how to change it. Secrets show only that they are set.
import { listSettings } from '../config.ts';

export async function showConfig(args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  const shown = await listSettings(args.filter(arg => arg !== '--json'));
  if (json) {
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
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
