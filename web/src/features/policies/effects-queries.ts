import { rightsApi } from '@portico/contract/rights'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import type { PolicyValues } from './policy-rules.ts'

/** The part of a policy that decides what it gives. */
export type PolicyDraft = Pick<PolicyValues, 'actions' | 'conditions' | 'conditionLogic'>

/** Asks whose rights would change if the policy became `draft`. Rights change at any time, so nothing is kept. */
export const usePolicyEffects = (id: string, draft: PolicyDraft) =>
  useQuery({
    queryKey: ['rights', 'effects', id, draft],
    queryFn: ({ signal }) => {
      const { actions, conditions, conditionLogic } = draft
      return call(rightsApi.previewPolicyEffects, { id, body: { actions, conditions, conditionLogic } }, { signal })
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
    enabled: draft.actions.length > 0,
  })
