// Errors of backups that cannot be made, read or restored; each message is one sentence.

/** The target holds no usable backup. */
export class BackupRejected extends Error {}

/** A part of the backup is damaged without which nothing can be restored. */
export class BackupDamaged extends Error {}
