import { string as text } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import { listCandidates, markObject, type SweepCandidate, type SweepMark } from '@recordproof/shared/api/sweep.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { Fixable } from '../../platform/fixable.ts';
import { newestCensusId } from '../newest-census.ts';
import { marksTable } from '../tables.ts';

export default command({
  summary: 'Mark unreferenced objects for deletion',
  description:
    'Only what the newest census calls unreferenced. A marked object stays for the protection window, and goes only when another census agrees then.',
  examples: [
    { command: 'admin sweep mark tenant-1/ab/abcd.0123', description: 'One object' },
    { command: 'admin sweep mark --all --yes', description: 'Everything that the census found, without asking' },
  ],
  args: { path: text({ description: 'Where the object lies, as the candidates say.' }) },
  flags: {
    all: boolean({ summary: 'All candidates of the newest census.' }),
    yes: boolean({ char: 'y', summary: 'Do not ask.' }),
  },
  async run({ flags, args, context }) {
    const { path } = args;
    if ((path === undefined) === !flags.all) throw new Fixable('usage', 'name one object, or say --all');
    const client = await context.session();
    const question = flags.all ? 'Mark all candidates for deletion?' : `Mark ${path} for deletion?`;
    if (!flags.yes) await confirm(context, question, 'nothing was marked');
    const records: SweepMark[] = [];
    for await (const { storagePath, cipherHash } of walkCandidates(client)) {
      if (path !== undefined && storagePath !== path) continue;
      records.push(await client.call(markObject, { body: { storagePath, cipherHash } }));
      if (path !== undefined) break;
    }
    if (path !== undefined && records.length === 0)
      throw new Fixable('refused', 'the newest census names no unreferenced object there');
    return { records, nextCursor: null };
  },
  text: marksTable,
  note: ({ records }) => (records.length === 0 ? 'nothing to mark' : ''),
});

async function* walkCandidates(client: Client): AsyncGenerator<SweepCandidate> {
  const params = { censusId: await newestCensusId(client) };
  let cursor: string | null = '0';
  while (cursor !== null) {
    const slice: { records: SweepCandidate[]; nextCursor: string | null } = await client.call(listCandidates, {
      params,
      query: { limit: '100', ...(cursor !== '0' && { cursor }) },
    });
    yield* slice.records;
    cursor = slice.nextCursor;
  }
}
