// The schema of a database in lines that can be compared: tables, columns in their order, constraints, indexes, triggers
// and storage options, by name.
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { sql } from 'kysely';

/** `kind`, `owner`, `name` and `definition` of each part. */
const queries: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: [
    `select type as kind, tbl_name as owner, name, coalesce(sql, '') as definition from sqlite_schema
      where name not like 'sqlite_stat%'`,
    `select 'table' as kind, t.name as owner, t.type as name, t.wr || ' ' || t.strict as definition
      from pragma_table_list t where t.schema = 'main' and t.name not like 'sqlite_stat%'`,
    `select 'column' as kind, t.name as owner, c.name,
        format('%d %s %d %s %d %d', c.cid, c.type, c."notnull", c.dflt_value, c.pk, c.hidden) as definition
      from sqlite_schema t join pragma_table_xinfo(t.name) c where t.type = 'table' and t.name not like 'sqlite_stat%'`,
    `select 'index column' as kind, i.name as owner, format('%s %d', i.name, c.seqno) as name,
        format('%s %d %s %d %d %s %d', c.name, c."desc", c.coll, c.key, i."unique", i.origin, i.partial) as definition
      from sqlite_schema t join pragma_index_list(t.name) i join pragma_index_xinfo(i.name) c where t.type = 'table'`,
    `select 'reference' as kind, t.name as owner, f."from" as name,
        format('%s %s %s %s %s', f."table", f."to", f.on_update, f.on_delete, f."match") as definition
      from sqlite_schema t join pragma_foreign_key_list(t.name) f where t.type = 'table'`,
  ],
  postgres: [
    `select 'column' as kind, attrelid::regclass::text as owner, attname as name, concat_ws(' ',
        row_number() over (partition by attrelid order by attnum), format_type(atttypid, atttypmod), attnotnull,
        attidentity, attgenerated, attstorage, attcompression, nullif(attcollation, 0)::regcollation, attoptions,
        pg_get_expr(adbin, adrelid)) as definition
      from pg_attribute join pg_class c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'v', 'm', 'p') and attnum > 0
        and not attisdropped`,
    // PostgreSQL 18 names "not null", too, after the column as it was first called.
    `select 'constraint' as kind, conrelid::regclass::text as owner,
        case contype when 'n' then pg_get_constraintdef(oid) else conname end as name,
        concat_ws(' ', contype, condeferrable, convalidated, pg_get_constraintdef(oid)) as definition
      from pg_constraint where connamespace = current_schema()::regnamespace`,
    `select 'index' as kind, indrelid::regclass::text as owner, indexrelid::regclass::text as name,
        concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisclustered, indisreplident) as definition
      from pg_index join pg_class c on c.oid = indexrelid where relnamespace = current_schema()::regnamespace`,
    `select 'trigger' as kind, tgrelid::regclass::text as owner, tgname as name, pg_get_triggerdef(oid) as definition
      from pg_trigger where not tgisinternal`,
    `select 'relation' as kind, relname as owner, relkind::text as name, concat_ws(' ', relpersistence, relrowsecurity,
        reloptions, (select reloptions from pg_class t where t.oid = c.reltoastrelid), obj_description(c.oid, 'pg_class'))
        as definition
      from pg_class c where relnamespace = current_schema()::regnamespace`,
    `select 'sequence' as kind, seqrelid::regclass::text as owner, '' as name, concat_ws(' ', seqtypid::regtype,
        seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle) as definition from pg_sequence`,
    `select 'extension' as kind, '' as owner, extname as name, '' as definition from pg_extension`,
    `select 'function' as kind, '' as owner, p.oid::regprocedure::text as name, prosrc as definition from pg_proc p
      where pronamespace = current_schema()::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  ],
};

/** Spaces, quotes around names and the case of keywords differ between a changed table and a new one. */
const toPlain = (definition: string): string =>
  definition
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/"(\w+)"/g, '$1')
    .replaceAll(/ ?([(),]) ?/g, '$1');

export async function readSchemaLines(db: Db, engine: Engine): Promise<string[]> {
  const lines: string[] = [];
  for (const query of queries[engine]) {
    const { rows } = await sql.raw<Record<'kind' | 'owner' | 'name' | 'definition', string>>(query).execute(db);
    lines.push(...rows.map(row => toPlain(`${row.kind} ${row.owner} ${row.name}: ${row.definition}`)));
  }
  return lines.sort();
}
