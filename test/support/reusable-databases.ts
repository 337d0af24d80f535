// Databases of PostgreSQL with the whole schema, which the tests of a run use one after another. Between two of them all
// rows go but those of the template; a database whose schema a test changed, or whose rows are still locked, is dropped.
import { basename } from 'node:path';
import { administer, type FreshDatabase, migratedTemplate, postgres, runSql, urlOf } from './postgres.ts';

/** Where connections of this run are kept open between tests (warm-connections.ts). */
const warmPortVariable = 'TEST_POSTGRES_WARM_PORT';

/** Holds the rows of the template. */
export const resetSchema = 'reset';

const keptRows = `
  create schema reset;
  create table reset.change (command text);
  create table reset.sequence as
    select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value) as value,
      last_value is not null as is_called
    from pg_sequences where schemaname = 'public';
  do $do$
  declare t text; is_filled boolean;
  begin
    for t in select tablename from pg_tables where schemaname = 'public' loop
      execute format('select exists (select from public.%I)', t) into is_filled;
      if is_filled then execute format('create table reset.%I as select * from public.%I', 'rows_' || t, t); end if;
    end loop;
  end $do$`;

const noteOfChanges = `
  create function reset.note() returns event_trigger language plpgsql as $fn$
  begin
    insert into reset.change select command_tag from pg_event_trigger_ddl_commands();
  end $fn$;
  -- the list above has no DROP
  create function reset.note_drop() returns event_trigger language plpgsql as $fn$
  begin
    insert into reset.change values (tg_tag);
  end $fn$;
  create event trigger note_changes on ddl_command_end execute function reset.note();
  create event trigger note_drops on sql_drop execute function reset.note_drop()`;

const resetFunction = `
  create function reset.run() returns void language plpgsql as $fn$
  declare t text;
  begin
    if exists (select from reset.change) then raise 'the schema was changed'; end if;
    set local session_replication_role = replica; -- no foreign keys, no triggers
    set local lock_timeout = '1s';
    for t in select oid::regclass from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0
    loop
      execute format('delete from %s', t);
    end loop;
    for t in select substr(tablename, 6) from pg_tables where schemaname = 'reset' and tablename like 'rows\\_%' loop
      execute format('insert into public.%I overriding system value select * from reset.%I', t, 'rows_' || t);
    end loop;
    perform setval(name, value, is_called) from reset.sequence;
  end $fn$`;

/** Once a run, after the template was made. */
export async function allowReuse(port: number, warmPort: number): Promise<void> {
  await runSql(urlOf(port, migratedTemplate), [keptRows, resetFunction, noteOfChanges].join(';'));
  await administer(port, 'create table reusable (name text primary key)');
  process.env[warmPortVariable] = String(warmPort);
}

async function take(port: number): Promise<FreshDatabase> {
  const [row] = await administer(
    port,
    'delete from reusable where name = (select name from reusable limit 1 for update skip locked) returning name',
  );
  if (row === undefined) return (await postgres()).freshDatabase(migratedTemplate);
  const name = String(row.name);
  return {
    url: urlOf(port, name),
    drop: async () => void (await administer(port, `drop database ${name} with (force)`)),
  };
}

/** A database with the whole schema and without rows; undefined outside of a run. */
export async function takeReusable(): Promise<FreshDatabase | undefined> {
  const warmPort = Number(process.env[warmPortVariable]);
  if (!(warmPort > 0)) return undefined;
  const { port } = await postgres();
  const { url, drop } = await take(port);
  const name = basename(new URL(url).pathname);
  const warmUrl = urlOf(warmPort, name);
  return {
    url: warmUrl,
    drop: async () => {
      try {
        await runSql(warmUrl, 'select reset.run()');
      } catch {
        return drop();
      }
      await administer(port, 'insert into reusable values ($1)', [name]);
    },
  };
}
