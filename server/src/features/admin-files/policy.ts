// Allowed status changes of file records by an administrator. Pure.
import { fileStatus } from '@recordproof/shared/api/files.ts';

type TargetStatus = typeof fileStatus.SUCCESS | typeof fileStatus.DELETE;

/** Returns the operation, or why it is rejected. */
export function toStatusChange(
  status: number,
  target: TargetStatus,
): 'none' | 'delete' | 'restore' | { rejection: string } {
  if (status === target) return 'none';
  if (status === fileStatus.SUCCESS) return 'delete';
  if (status === fileStatus.DELETE) return 'restore';
  return { rejection: 'this record belongs to an upload that is under way or has failed' };
}
