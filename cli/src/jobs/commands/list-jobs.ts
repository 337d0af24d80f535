import { jobs, listCommand } from '../dead-job-commands.ts';

export default listCommand(jobs);
