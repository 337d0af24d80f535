// The notes about unfinished uploads on this machine, found by the upload's id.
import { type ListedUpload, listUploadJournals, openUploadJournal } from '@recordproof/shared/node/upload-journals.ts';
import type { Program } from '../program.ts';
import { toFolders } from './kit.ts';

export async function listLocal(program: Program): Promise<ListedUpload[]> {
  const { server } = await program.settings();
  return listUploadJournals(toFolders().uploads).filter(found => found.server === server.value);
}

export const findLocal = async (program: Program, clientId: string): Promise<ListedUpload | undefined> =>
  (await listLocal(program)).find(({ entry }) => entry.plan.clientId === clientId);

export async function forgetLocal({ path, server, account }: ListedUpload): Promise<void> {
  await using journal = openUploadJournal(toFolders().uploads, { path, server, account });
  journal.remove();
}
