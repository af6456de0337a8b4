import { firstTurn } from '../../src/modules/scheduler/runs/account-turns.ts'
import { takeUpDueCrons } from '../../src/modules/scheduler/runs/due-runs.service.ts'
import { LeftOut } from '../../src/modules/scheduler/runs/left-out.ts'
import { emailAboutRuns } from '../../src/modules/scheduler/runs/cron-email.service.ts'
import { startNextRun } from '../../src/modules/scheduler/runs/run-start.service.ts'
import { settleRuns } from '../../src/modules/scheduler/runs/settle.service.ts'
import { type Consumers, cronsPurpose } from '#scheduler'
import type { Services } from '#platform/services.ts'
import { createSecrets } from '#platform/secrets.ts'
import { createConsumers } from '../../src/consumers.ts'

/**
 * Runs one round of the scheduler's loop: claims everything that is due, starts everything that is ready, and completes
 * everything that has ended.
 */
export async function runSchedulerOnce(parts: Services, consumers: Consumers = createConsumers(parts)): Promise<void> {
  const deps = { ...parts, consumers, sealer: createSecrets(parts.config.secretKey, cronsPurpose) }
  while ((await takeUpDueCrons(parts.database, new LeftOut(parts.log, 'due'))) > 0);
  const [starts, emails] = [firstTurn(), firstTurn()]
  while (await startNextRun(deps, starts));
  await settleRuns(parts.database, consumers, new LeftOut(parts.log, 'settle'))
  const untold = new LeftOut<number>(parts.log, 'emails')
  while (await emailAboutRuns(deps, emails, untold));
}
