import { deliveriesPurpose } from '#delivery'
import { exportConsumer } from '#exports'
import { reportConsumer } from '#reports'
import type { Consumer, Consumers } from '#scheduler'
import { createSecrets } from '#platform/secrets.ts'
import type { Services } from '#platform/services.ts'

/** The services whose work can be scheduled. A module whose work shall be schedulable adds itself here. */
export function createConsumers({ database, jobs, config }: Services): Consumers {
  const deps = { database, jobs, config, sealer: createSecrets(config.secretKey, deliveriesPurpose) }
  const consumers: Consumer[] = [exportConsumer(deps), reportConsumer(deps)]
  return new Map(consumers.map((consumer) => [consumer.code, consumer]))
}
