import { auditApi, type AuditEntry } from '@portico/contract/audit'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import type { toQuery } from './audit-filter.ts'

type Filter = ReturnType<typeof toQuery>

export const useAuditPage = (filter: Filter, page: number, pageSize: number) =>
  useQuery({
    queryKey: ['audit', 'page', filter, page, pageSize],
    queryFn: async ({ signal }) => {
      const query = { ...filter, limit: pageSize, skip: (page - 1) * pageSize }
      // Without `count` the contract returns the list.
      return (await call(auditApi.listAudit, query, { signal })) as AuditEntry[]
    },
    placeholderData: keepPreviousData,
  })

export const useAuditCount = (filter: Filter) =>
  useQuery({
    queryKey: ['audit', 'count', filter],
    queryFn: async ({ signal }) => {
      // With `count` the contract returns the count.
      const reply = (await call(auditApi.listAudit, { ...filter, count: '1' }, { signal })) as { count: number }
      return reply.count
    },
    placeholderData: keepPreviousData,
  })

/** Exports the matching entries to a file and returns the link to it. */
export const useExportAudit = () => useMutation({ mutationFn: (body: Filter) => call(auditApi.exportAudit, { body }) })
