// Table types and migrations of attestation.
import type { Migration } from '../../platform/db/migrate.ts';

export type CandidateStatus = 'READY' | 'CLAIMED' | 'BATCHED' | 'DEAD_LETTER';
type BatchStatus = 'CHAIN_PENDING' | 'CHAIN_SUBMITTING' | 'CHAIN_RETRY' | 'COMPLETED' | 'MANUAL_REVIEW';
export type ReviewReason = 'DIFFERENT_ROOT' | 'ATTEMPTS_USED_UP';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A file version that waits for, or is part of, a batch. One per file record, permanently. */
    attestation_candidate: {
      id: NewKey;
      tenant_id: Key;
      file_id: Key;
      file_version: number;
      manifest_hash: string;
      status: CandidateStatus;
      /** How often it was claimed. */
      attempts: number;
      admitted_at: Time;
      /** READY: the earliest claim; CLAIMED: the end of the lease. */
      due_at: Time;
      /** The id of the current claim; writes under another claim change nothing. */
      claim: string | null;
      batch_id: Key | null;
      last_error: string | null;
    };
    /** A Merkle tree over candidates of one tenant, and the state of its anchoring. */
    attestation_batch: {
      id: NewKey;
      tenant_id: Key;
      status: BatchStatus;
      merkle_root: string;
      /** The hash suite of the tree. */
      proof_suite: string;
      tree_size: number;
      /** Failed attempts to anchor the root. */
      attempts: number;
      /** The earliest attempt; CHAIN_SUBMITTING: the end of the lease. */
      due_at: Time;
      fence: number;
      review_reason: ReviewReason | null;
      last_error: string | null;
      transaction_hash: string | null;
      block_number: number | null;
      confirmation_source: string | null;
      chain_type: string | null;
      chain_id: string | null;
      group_id: string | null;
      contract_address: string | null;
      /** Embedded ledger only: the key that verifies its checkpoints. */
      ledger_key: string | null;
      created_at: Time;
      completed_at: Time | null;
    };
    attestation_leaf: {
      id: NewKey;
      tenant_id: Key;
      batch_id: Key;
      file_id: Key;
      file_version: number;
      leaf_index: number;
      manifest_hash: string;
      leaf_hash: Buffer;
      /** Sibling hashes from the leaf to the root, 32 bytes each; the sides follow from index and size. */
      proof_path: Buffer;
    };
  }
}

export const attestationMigrations: readonly Migration[] = [
  {
    name: 'V2.0.14 tables of attestation',
    statements: t => [
      `create table attestation_batch (
        id ${t.key},
        tenant_id ${t.integer} not null,
        status text not null
          check (status in ('CHAIN_PENDING', 'CHAIN_SUBMITTING', 'CHAIN_RETRY', 'COMPLETED', 'MANUAL_REVIEW')),
        merkle_root text not null,
        tree_size ${t.integer} not null check (tree_size > 0),
        attempts ${t.integer} not null,
        due_at ${t.integer} not null,
        fence ${t.integer} not null,
        review_reason text check (review_reason in ('DIFFERENT_ROOT', 'ATTEMPTS_USED_UP')),
        last_error text,
        transaction_hash text,
        block_number ${t.integer},
        confirmation_source text,
        chain_type text,
        chain_id text,
        group_id text,
        contract_address text,
        ledger_key text,
        created_at ${t.integer} not null,
        completed_at ${t.integer},
        proof_suite text not null default 'RP-MERKLE-SHA256-V1'
      ) ${t.strict}`,
      `create index attestation_batch_open on attestation_batch (tenant_id, due_at) where status <> 'COMPLETED'`,
      `create table attestation_candidate (
        id ${t.key},
        tenant_id ${t.integer} not null,
        file_id ${t.integer} not null unique references file (id),
        file_version ${t.integer} not null,
        manifest_hash text not null,
        status text not null check (status in ('READY', 'CLAIMED', 'BATCHED', 'DEAD_LETTER')),
        attempts ${t.integer} not null,
        admitted_at ${t.integer} not null,
        due_at ${t.integer} not null,
        claim text,
        batch_id ${t.integer} references attestation_batch (id),
        last_error text,
        check ((status = 'CLAIMED') = (claim is not null)),
        check ((status = 'BATCHED') = (batch_id is not null))
      ) ${t.strict}`,
      `create index attestation_candidate_ready on attestation_candidate (tenant_id, admitted_at, id) where status = 'READY'`,
      `create index attestation_candidate_claimed on attestation_candidate (tenant_id, due_at) where status = 'CLAIMED'`,
      `create index attestation_candidate_claim on attestation_candidate (claim) where status = 'CLAIMED'`,
      `create index attestation_candidate_dead on attestation_candidate (tenant_id) where status = 'DEAD_LETTER'`,
      `create table attestation_leaf (
        id ${t.key},
        tenant_id ${t.integer} not null,
        batch_id ${t.integer} not null references attestation_batch (id),
        file_id ${t.integer} not null unique references file (id),
        file_version ${t.integer} not null,
        leaf_index ${t.integer} not null,
        manifest_hash text not null,
        leaf_hash ${t.bytes} not null default ${t.emptyBytes},
        proof_path ${t.bytes} not null default ${t.emptyBytes},
        unique (batch_id, leaf_index)
      ) ${t.strict}`,
      `create index file_unattested on file (tenant_id, id)
        where proof_status = 'NONE' and status = 1 and manifest_hash is not null`,
      `create index attestation_batch_anchored on attestation_batch (tenant_id) where status = 'COMPLETED'`,
    ],
  },
];
