import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import { getSystemHealth } from '@recordproof/shared/api/system.ts';
import { command } from '../../platform/command.ts';
import { type Fitting, tableOf, words } from '../../platform/table.ts';

type Part = ComponentHealth & { readonly name: string };

const partsTable = tableOf<Part>({
  PART: part => part.name,
  STATUS: part => part.status,
  DETAILS: words(part => toText(part.details)),
});

const toText = (details: ComponentHealth['details'] = {}): string =>
  Object.entries(details)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');

export default command({
  summary: 'Show how database, cache, chain and object store are',
  description: 'Ends with 0 when all of it is up, with 1 when not.',
  examples: [{ command: 'admin health', description: 'The four parts, and what each says of itself' }],
  run: async ({ context }) => (await context.session()).call(getSystemHealth),
  text({ status: _status, ...parts }): Fitting {
    return partsTable(Object.entries(parts).map(([name, part]) => ({ name, ...part })));
  },
  note: ({ status }) => `the service is ${status}`,
  ending: ({ status }) => (status === 'UP' ? 'ok' : 'refused'),
});
