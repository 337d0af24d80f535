// What the event stream tells people: the type of each event and what it carries. Rulings §7.
import { z } from 'zod';
import { recordId } from './common.ts';

const alertEvidence = z.record(z.string(), z.unknown());

/** By type. An event says that something happened and names it; whoever wants the rest asks for it. */
export const eventPayloads = {
  'message-received': z.object({
    messageId: recordId,
    conversationId: recordId,
    senderId: z.string(),
    senderName: z.string(),
    preview: z.string(),
  }),
  'announcement-published': z.object({
    id: recordId,
    title: z.string(),
    priority: z.int(),
    isPinned: z.boolean(),
  }),
  'ticket-updated': z.object({
    ticketId: recordId,
    ticketNo: z.string(),
    oldStatus: z.int().optional(),
    newStatus: z.int().optional(),
    replierName: z.string().optional(),
    preview: z.string().optional(),
  }),
  'friend-request': z.object({
    requestId: recordId,
    requesterId: z.string(),
    requesterName: z.string(),
    message: z.string(),
  }),
  'friend-accepted': z.object({ friendId: z.string(), friendName: z.string() }),
  'friend-share': z.object({
    shareId: recordId,
    sharerName: z.string(),
    fileCount: z.int(),
    message: z.string(),
  }),
  'file-recorded': z.object({
    fileId: recordId,
    fileName: z.string(),
    fileHash: z.string(),
    version: z.int(),
    transactionHash: z.string(),
  }),
  'file-failed': z.object({ clientId: z.string(), fileName: z.string(), reason: z.string() }),
  'proof-issued': z.object({ fileId: recordId, fileName: z.string(), proofId: z.string() }),
  'upload-progress': z.object({
    clientId: z.string(),
    status: z.string(),
    progress: z.number(),
    uploadedChunkCount: z.int(),
    totalChunks: z.int(),
  }),
  'audit-alert': z.object({ kind: z.string(), detail: z.string() }),
  INTEGRITY_ALERT: z.object({
    alertId: recordId,
    fileId: recordId,
    fileName: z.string(),
    alertType: z.string(),
    severity: z.string(),
    evidence: alertEvidence,
    actualHash: z.string().optional(),
    chainHash: z.string().optional(),
  }),
} as const;

export type EventType = keyof typeof eventPayloads;
export type EventPayload<T extends EventType> = z.infer<(typeof eventPayloads)[T]>;
