import { contactsApi, type Field, type Offer } from '@portico/contract/contacts'
import { matching } from '@portico/domain/pipeline/match-json'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fetchPage } from '#lib/api/lists.ts'
import { lookUpCondition, purlName, type Wanted } from './look-up.ts'

/** More contacts with one value can be distinguished in Search & Analyze. */
export const mostFound = 10

/** Dates are rarely known by heart, and yes or no finds everyone. */
export const isSearchable = ({ type }: Field): boolean => type === 'string' || type === 'number'

const isEmail = ({ name }: Field): boolean => /mail/i.test(name)

export type ContactSearch = ReturnType<typeof useContactSearch>

/** The typed value, and the contacts that have the one that was sent (`submit`), without one of them (`except`). */
export function useContactSearch(fields: readonly Field[], except?: string) {
  const email = fields.filter(isSearchable).find(isEmail)
  const [wanted, setWanted] = useState<Wanted>({ by: email?.name ?? purlName, text: '' })
  const [sent, setSent] = useState<Wanted | null>(null)
  const condition = sent && lookUpCondition(sent, fields)
  const found = useFoundContacts(condition, except)
  return { fields, wanted, setWanted, submit: () => setSent(wanted), isSent: sent !== null, condition, found }
}

/** The contacts that have a value; null requests nothing. */
const useFoundContacts = (condition: Record<string, unknown> | null, except?: string) =>
  useQuery({
    queryKey: ['contacts', 'found', condition, except],
    queryFn: async ({ signal }): Promise<Offer[]> => {
      const input = { find: matching(condition ?? {}), sort: null, page: 1, pageSize: mostFound + 1 }
      const found = await fetchPage(contactsApi.listOffers, input, signal)
      return found.filter(({ _id }) => _id !== except).slice(0, mostFound)
    },
    enabled: condition !== null,
    staleTime: 0,
  })
