import { deliveriesPurpose } from '#delivery'
import { exportConsumer } from '#exports'
import { reportConsumer, reportTester } from '#reports'
import { type Consumer, type Consumers, type CronTesters, takingAny } from '#scheduler'
import { createSecrets } from '#platform/secrets.ts'
import type { Services } from '#platform/services.ts'

/** Creates the services whose work can be scheduled. A module that offers schedulable work adds itself here. */
export function createConsumers({ database, jobs, config }: Services): Consumers {
  const deps = { database, jobs, config, sealer: createSecrets(config.secretKey, deliveriesPurpose) }
  const consumers: Consumer[] = [takingAny(exportConsumer(deps)), takingAny(reportConsumer(deps))]
  return new Map(consumers.map((consumer) => [consumer.code, consumer]))
}

/** Creates the consumers whose crons can be tested before they are saved. */
export const createTesters = (deps: Parameters<typeof reportTester>[0]): CronTesters =>
  new Map([['BI', reportTester(deps)]])
