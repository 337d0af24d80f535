// Transitions of friend requests, and who may make them. Pure.
import { friendRequestStatus } from '@recordproof/shared/api/friends.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { RequestRow } from './queries.ts';

/** Each decision: who makes it, and the resulting status. */
export const decisions = {
  accept: { by: 'addressee_id', status: friendRequestStatus.ACCEPTED },
  reject: { by: 'addressee_id', status: friendRequestStatus.REJECTED },
  cancel: { by: 'requester_id', status: friendRequestStatus.CANCELLED },
} as const;

export type Decision = keyof typeof decisions;

type Rejection = 'FRIEND_REQUEST_NOT_FOUND' | 'FORBIDDEN' | 'FRIEND_REQUEST_PROCESSED';

/**
 * Returns null if this person may make the decision. Only its two people know of a request; a closed one stays closed.
 */
export function mayDecide(userId: Key, request: RequestRow | null, decision: Decision): Rejection | null {
  if (request?.requester_id !== userId && request?.addressee_id !== userId) return 'FRIEND_REQUEST_NOT_FOUND';
  if (request[decisions[decision].by] !== userId) return 'FORBIDDEN';
  return request.status === friendRequestStatus.PENDING ? null : 'FRIEND_REQUEST_PROCESSED';
}

export const rejectionTexts: Readonly<Record<Decision, string>> = {
  accept: 'only the one who was asked can accept a request',
  reject: 'only the one who was asked can reject a request; cancel your own',
  cancel: 'only the one who asked can cancel a request; reject it instead',
};
