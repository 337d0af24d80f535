// Which states an administrator may bring a file record from and to. Pure.
import { fileStatus } from '@recordproof/shared/api/files.ts';

type Wished = typeof fileStatus.SUCCESS | typeof fileStatus.DELETE;

/** What has to be done, or why nothing may be. */
export function toStatusChange(status: number, wished: Wished): 'none' | 'delete' | 'restore' | { refusal: string } {
  if (status === wished) return 'none';
  if (status === fileStatus.SUCCESS) return 'delete';
  if (status === fileStatus.DELETE) return 'restore';
  return { refusal: 'this record belongs to an upload that is under way or has failed' };
}
