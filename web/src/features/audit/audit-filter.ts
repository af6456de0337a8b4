import { messages } from '@portico/contract/messages'
import { type ViaKind, viaKinds } from '@portico/contract/audit'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'

/** Filter of the log, as shown in the fields; moments in local time (`2026-01-31T10:00`). */
export type AuditFields = {
  who: string
  what: string
  /** Empty: any. */
  via: ViaKind | ''
  from: string
  to: string
  everywhere: boolean
}

const names = ['who', 'what', 'via', 'from', 'to'] as const

const readFields = (params: URLSearchParams): AuditFields => ({
  who: params.get('who') ?? '',
  what: params.get('what') ?? '',
  via: viaKinds.find((kind) => kind === params.get('via')) ?? '',
  from: params.get('from') ?? '',
  to: params.get('to') ?? '',
  everywhere: params.get('everywhere') === 'true',
})

/** The address for changed fields: goes to the first page, keeps other parameters. */
function writeFields(params: URLSearchParams, fields: AuditFields): URLSearchParams {
  const next = new URLSearchParams(params)
  next.delete('page')
  for (const name of names) {
    if (fields[name].trim()) next.set(name, fields[name].trim())
    else next.delete(name)
  }
  if (fields.everywhere) next.set('everywhere', 'true')
  else next.delete('everywhere')
  return next
}

/** Query for the server; an invalid moment is left out. */
export function toQuery({ who, what, via, from, to, everywhere }: AuditFields) {
  const [fromInstant, toInstant] = [instantOf(from), instantOf(to)]
  return {
    ...(who && { who }),
    ...(what && { what }),
    ...(via && { via }),
    ...(fromInstant && { from: fromInstant }),
    ...(toInstant && { to: toInstant }),
    ...(everywhere && { everywhere: 'true' as const }),
  }
}

function instantOf(local: string): string | null {
  const date = new Date(local)
  return local === '' || Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** An end before the start finds nothing. */
export const periodProblem = ({ from, to }: Pick<AuditFields, 'from' | 'to'>): string | null =>
  from !== '' && to !== '' && from >= to ? messages.invalid : null

/** Fields and page of the log, kept in the address. */
export function useAuditUrl() {
  const [params, setParams] = useSearchParams()
  const text = params.toString()
  const fields = useMemo(() => readFields(new URLSearchParams(text)), [text])
  const page = Number(params.get('page'))
  return {
    fields,
    page: Number.isInteger(page) && page > 0 ? page : 1,
    isActive: Object.keys(toQuery({ ...fields, everywhere: false })).length > 0,
    change: (part: Partial<AuditFields>) =>
      setParams((now) => writeFields(now, { ...readFields(now), ...part }), { replace: true }),
    onPageChange: (next: number) =>
      setParams(
        (now) => {
          const changed = new URLSearchParams(now)
          if (next > 1) changed.set('page', String(next))
          else changed.delete('page')
          return changed
        },
        { replace: true },
      ),
  }
}
