import { schedulerApi } from '@portico/contract/scheduler'
import type { Cron, CronDraft } from '@portico/contract/scheduler/crons'
import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { call } from '#lib/api/api.ts'
import { isApiError, messageOf } from '#lib/api/api-error.ts'

/** Why an operation of the scheduler failed (specification 4 §8). */
export function failureOf(error: unknown, operation: string): string {
  if (isApiError(error, 'not_allowed')) return schedulerMessages.notAllowed
  return isApiError(error, 'not_found') ? schedulerMessages.failed(operation, messageOf(error), 404) : messageOf(error)
}

/** A list that is not found is empty (specification 4 §8). */
export function emptyIfNotFound(error: unknown): never[] {
  if (isApiError(error, 'not_found')) return []
  throw error
}

/** Crons without their instructions. */
export const useCrons = (consumerCode: ConsumerCode, terminated: boolean) =>
  useQuery({
    queryKey: ['schedules', 'crons', consumerCode, terminated],
    queryFn: async ({ signal }) => {
      const query = { consumerCode, terminated: terminated ? 'true' : 'false', instruction: 'false' } as const
      // Without `count` and `instances` the contract returns a list of crons.
      return (await call(schedulerApi.listCrons, query, { signal }).catch(emptyIfNotFound)) as Cron[]
    },
  })

/** A cron with its instruction; null requests nothing. */
export const useCron = (id: string | null) =>
  useQuery({
    queryKey: ['schedules', 'cron', id],
    queryFn: ({ signal }) => call(schedulerApi.getCron, { id: id ?? '' }, { signal }),
    enabled: id !== null,
  })

export const getCron = (id: string): Promise<Cron> => call(schedulerApi.getCron, { id })
export const createCron = (body: CronDraft): Promise<Cron> => call(schedulerApi.createCron, { body })
export const updateCron = (id: string, body: CronDraft): Promise<Cron> => call(schedulerApi.updateCron, { id, body })

/** Runs a save of a cron, and refreshes everything that shows crons. */
export function useSaveCron() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (save: () => Promise<Cron>) => save(),
    // Not awaited: by then the row of a terminated cron is gone, and its message with it.
    onSuccess: () => void client.invalidateQueries({ queryKey: ['schedules'] }),
  })
}

/** Runs past due times again. */
export function useBackfill() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: { from: string; to?: string; which?: 'all' | 'unsuccessful' } }) =>
      call(schedulerApi.backfillCron, { id, body }),
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
}

export type CronAct = 'pause' | 'resume' | 'run' | 'takeOver'

type CronCall = { id: string; version: number; act: CronAct; reason?: string }

/** Runs an action on a cron at once. `reason` is the reason for a pause. */
export function useCronAct() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, version, act, reason = '' }: CronCall): Promise<void> => {
      if (act === 'pause') await call(schedulerApi.pauseCron, { id, body: { reason } })
      else if (act === 'resume') await call(schedulerApi.resumeCron, { id })
      else if (act === 'run') await call(schedulerApi.runCronNow, { id })
      else await call(schedulerApi.takeOverCron, { id, body: { version } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['schedules'] }),
  })
}
