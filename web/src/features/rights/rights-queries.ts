import { type RightHolder as HolderOnWire, type RightHolders, rightsApi } from '@portico/contract/rights'
import { useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { giversFrom, type GivingPolicy } from '#domain/rights'

/** A person or a service identity that may do something, with the policies that give it. */
export type RightHolder = Omit<HolderOnWire, 'by'> & { by: GivingPolicy[] }

/** The people who may do something in the account; null asks for nothing. */
export const useRightHolders = (action: string | null) =>
  useQuery({
    queryKey: ['rights', 'holders', action],
    queryFn: ({ signal }) => call(rightsApi.listRightHolders, { action: action ?? '' }, { signal }),
    select: toHolders,
    enabled: action !== null,
  })

const toHolders = ({ holders, policies }: RightHolders): RightHolder[] =>
  holders.map(({ by, ...holder }) => ({ ...holder, by: giversFrom(by, policies) }))
