import { ApiError } from '@recordproof/shared/api/errors.ts';
import { listVersions } from '@recordproof/shared/api/files.ts';
import type { Transfers } from '../platform/transfers.ts';

type Newest = { readonly fileId: string | null; readonly version: number };

/** Which version of the file somebody else has written, or left; null when none is left. */
export async function findNewest({ server, signal }: Transfers, fileId: string): Promise<Newest> {
  try {
    const versions = await server.client.call(listVersions, { params: { id: fileId }, signal });
    const newest = versions.find(({ isLatest }) => isLatest);
    return { fileId: newest?.id ?? null, version: newest?.version ?? 0 };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { fileId: null, version: 0 };
    throw error;
  }
}
