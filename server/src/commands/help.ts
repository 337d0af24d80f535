export const help = `recordproof-server: stores files and proves what they were and when

  recordproof-server [serve]            run the server until it is told to stop
  recordproof-server config             show every setting in force and where it comes from
  recordproof-server admin create       make an administrator (or --role user|monitor, --tenant NAME)
  recordproof-server admin password     set a new password for an account; its sessions end
  recordproof-server admin tenants      list tenants; with --create NAME make one
  recordproof-server ledger verify      re-check the ledger: entries, tiles, checkpoints
  recordproof-server ledger restore     write tiles of the ledger that got lost from its entries
  recordproof-server chain deploy       put the anchor contract on an EVM chain (--rpc-url URL)
  recordproof-server audit verify       re-compute the hash chain of the audit log
  recordproof-server keys trusted       the key that signs proofs, as auditors' --trusted-key (--version N: an older one)
  recordproof-server keys list          every key that ever signed proofs
  recordproof-server keys rotate-signing  sign with a new key from now on; older proofs keep theirs

Settings come from flags, then the environment, then the file named by --config, then defaults:
  --data DIR        data folder                       RECORDPROOF_DATA     ./recordproof-data
  --host ADDRESS    address to listen on              RECORDPROOF_HOST     127.0.0.1
  --port N          port to listen on, 0 = any        RECORDPROOF_PORT     8080
  --profile NAME    server | laptop                   RECORDPROOF_PROFILE  server
  --config FILE     YAML file with any setting        RECORDPROOF_CONFIG
  --log-level NAME  fatal … trace | silent            RECORDPROOF_LOG_LEVEL  info
"recordproof-server config" lists all the others.

Exit codes: 0 fine, 1 failed, 64 wrong usage, 69 the database is out of reach, 78 a setting is wrong.
`;
