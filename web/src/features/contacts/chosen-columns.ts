import { callerKey } from '@portico/contract/email-address'
import { useState } from 'react'
import { useAccount, useUser } from '#lib/session/session.ts'

const key = 'portico.columns'

function readAll(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function readChosen(owner: string): string[] {
  const chosen = readAll()[owner]
  return Array.isArray(chosen) ? chosen.filter((name) => typeof name === 'string') : []
}

/**
 * The columns that the user prefers in this account, in order; empty for the default ones. Stored in this browser, as a
 * person's other settings are.
 */
export function useChosenColumns(): [string[], (columns: string[]) => void] {
  const { email } = useUser()
  const { id } = useAccount()
  const owner = `${callerKey(email)} in ${id}`
  const [kept, setKept] = useState({ owner, columns: readChosen(owner) })
  if (kept.owner !== owner) setKept({ owner, columns: readChosen(owner) })
  const choose = (columns: string[]): void => {
    localStorage.setItem(key, JSON.stringify({ ...readAll(), [owner]: columns }))
    setKept({ owner, columns })
  }
  return [kept.columns, choose]
}
