import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import IconListSearch from '#icons/IconListSearch'
import { queryClient } from '#lib/api/query-client.ts'
import { formatCount } from '#lib/formats.ts'
import { useUser } from '#lib/session/session.ts'
import { contactSearch, type FoundRecord, type RecordKind, recordKinds } from './record-kinds.ts'

const typingPauseMs = 200
const fewestCharacters = 2

type RecordGroup = { heading: string; Icon: RecordKind['Icon']; records: FoundRecord[] }

/** Found records, and a sentence about the search; empty if there is none. */
type Found = { groups: RecordGroup[]; status: string; isSearching: boolean }

const keyOf = ({ noun }: RecordKind, text: string): string[] => [noun, 'named', text]

/**
 * Finds records by the text being typed: a few of each kind that the user may list. While the palette is closed it
 * requests nothing, and the results stay while the palette fades.
 */
export function useRecords(typed: string, isOpen: boolean): Found {
  const user = useUser()
  const text = typed.trim()
  const [paused] = useDebouncedValue(text, typingPauseMs)
  const [last, setLast] = useState('')
  const kinds = recordKinds.filter((kind) => kind.isListed(user))
  const asked = kinds.filter((kind) => text.length >= kind.fewestCharacters)
  const results = useQueries({
    // Further typing removes the previous text's queries, which aborts their requests.
    queries: (isOpen && paused === text ? asked : []).map((kind) => ({
      queryKey: keyOf(kind, text),
      queryFn: ({ signal }: { signal: AbortSignal }) => kind.find(text, signal),
      retry: false,
    })),
  })
  const searches = asked.map((kind, at) => ({ kind, result: results[at] }))
  const isSearching = isOpen && searches.some(({ result }) => !result || result.isPending)
  if (isOpen && !isSearching && last !== text) setLast(text)
  const groups = searches.map(({ kind, result }): RecordGroup => {
    const isPending = !result || result.isPending
    const records = isPending ? narrowed(kind, last, text) : (result.data ?? [])
    return { heading: kind.heading, Icon: kind.Icon, records }
  })
  const failed = searches.filter(({ result }) => result?.isError).map(({ kind }) => kind.heading)
  const isAsked = kinds.length > 0 && text.length >= fewestCharacters
  return {
    groups: [...groups, ...contactSearches(asked, text)].filter(({ records }) => records.length > 0),
    status: isAsked ? describe(groups, failed, isSearching) : '',
    isSearching,
  }
}

/** Results of the previous text that also match this one: without them the list would flicker with each letter. */
function narrowed(kind: RecordKind, before: string, text: string): FoundRecord[] {
  const records = queryClient.getQueryData<FoundRecord[]>(keyOf(kind, before)) ?? []
  return records.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
}

const hasWord = /[\p{L}\p{N}]/u

/** The link to all contacts that match a text: last in the list, because it appears before any record. */
const contactSearches = (asked: RecordKind[], text: string): RecordGroup[] =>
  asked.some(({ noun }) => noun === 'contacts') && hasWord.test(text)
    ? [{ heading: 'Search & Analyze', Icon: IconListSearch, records: [contactSearch(text)] }]
    : []

const inWords = new Intl.ListFormat('en-US')

function describe(groups: RecordGroup[], failed: string[], isSearching: boolean): string {
  if (isSearching) return 'Searching records…'
  if (failed.length > 0) return `${inWords.format(failed)} could not be searched.`
  const found = groups.reduce((sum, { records }) => sum + records.length, 0)
  return found === 0 ? 'No records found' : `${formatCount(found, 'record')} shown`
}
