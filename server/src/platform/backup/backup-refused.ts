// Why a backup cannot be made, read or restored; each message is one sentence.

/** What lies there is no backup that can be used. */
export class BackupRefused extends Error {}

/** A part of the backup is damaged without which nothing can be restored from it. */
export class BackupDamaged extends Error {}
