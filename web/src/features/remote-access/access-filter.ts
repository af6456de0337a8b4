import { RemoteAccessType } from '@portico/contract/remote-access'
import { matching } from '@portico/domain/pipeline/match-json'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'

type AccessFilter = { name: string; type: RemoteAccessType | null }

/** The filter of the list, kept in the address: part of the domain or address, and a type. */
export function useAccessFilter() {
  const [params, setParams] = useSearchParams()
  const name = params.get('name') ?? ''
  const type = RemoteAccessType.safeParse(params.get('type')).data ?? null
  const find = useMemo(() => {
    if (name === '' && type === null) return []
    const $regex = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    return matching({ ...(type && { type }), ...(name && { domainOrIp: { $regex, $options: 'i' } }) })
  }, [name, type])
  const change = (part: Partial<AccessFilter>): void =>
    setParams(
      (now) => {
        const changed = new URLSearchParams(now)
        changed.delete('page')
        for (const [key, value] of Object.entries(part)) {
          if (value?.trim()) changed.set(key, value.trim())
          else changed.delete(key)
        }
        return changed
      },
      { replace: true },
    )
  return { name, type, find, isActive: find.length > 0, change, clear: () => change({ name: '', type: null }) }
}
