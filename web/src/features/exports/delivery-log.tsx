import type { Export } from '@portico/contract/exports'
import { Text } from '@mantine/core'
import { DeliveryList } from '#domain/job-lists'
import { messageOf } from '#lib/api/api-error.ts'
import { useCan } from '#lib/session/session.ts'
import { useDeliveries, useResend } from './exports-queries.ts'

type DeliveryLogProps = {
  exportId: string
  status: Export['status']
  /** Whether changes arrive without polling. */
  isLive: boolean
}

/** Every attempt to report an export's end or deliver its file, and a button to retry. */
export function DeliveryLog({ exportId, status, isLive }: DeliveryLogProps) {
  const deliveries = useDeliveries(exportId, isLive)
  const resend = useResend(exportId)
  const canResend = useCan('contact-export-create') && status === 'completed'
  if (deliveries.isError) return <Text size="sm">{messageOf(deliveries.error)}</Text>
  return <DeliveryList deliveries={deliveries.data ?? []} resend={canResend ? resend : null} />
}
