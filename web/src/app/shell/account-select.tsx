import { CheckIcon, Select } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import IconSelector from '#icons/IconSelector'
import { parentNameOf, useAccount, useAccounts } from '#lib/session/session.ts'
import { useEnter } from './enter-account.ts'
import css from './account-picker.module.css'

/** The user's action on the placeholder before this code was loaded: it is repeated here. */
export type EarlyAction = 'nothing' | 'focus' | 'options'

/** The choice among several accounts. */
export function AccountSelect({ isOnBar, earlyAction }: { isOnBar: boolean; earlyAction: EarlyAction }) {
  const account = useAccount()
  const accounts = useAccounts().data ?? []
  const enter = useEnter()
  const [isEntering, setEntering] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const [isWanted] = useState(earlyAction !== 'nothing')
  useEffect(() => {
    if (isWanted) field.current?.focus()
  }, [isWanted])
  return (
    <Select
      ref={field}
      defaultDropdownOpened={earlyAction === 'options'}
      aria-label="Account"
      title={account.name}
      classNames={isOnBar ? { input: css['input'] ?? '', section: css['section'] ?? '' } : {}}
      data={accounts.map(({ Key, Value }) => ({ value: String(Key), label: Value }))}
      value={String(account.id)}
      onChange={(value) => {
        if (value === null || Number(value) === account.id) return
        setEntering(true)
        void enter(Number(value)).finally(() => setEntering(false))
      }}
      rightSection={<IconSelector size={16} stroke={1.6} aria-hidden />}
      rightSectionPointerEvents="none"
      searchable
      // Select the text: typing then searches instead of appending to the account's name.
      onFocus={(event) => event.currentTarget.select()}
      selectFirstOptionOnChange
      allowDeselect={false}
      disabled={isEntering}
      limit={100}
      nothingFoundMessage="No matching account found."
      renderOption={({ option: { value, label }, checked = false }) => {
        const entry = accounts.find(({ Key }) => String(Key) === value)
        return <AccountOption name={label} parent={entry ? parentNameOf(entry, accounts) : null} isCurrent={checked} />
      }}
      comboboxProps={{ shadow: 'md', ...(isOnBar && { width: 280, position: 'bottom-end' }) }}
      styles={{ options: { maxHeight: 360 } }}
    />
  )
}

type AccountOptionProps = { name: string; parent: string | null; isCurrent: boolean }

function AccountOption({ name, parent, isCurrent }: AccountOptionProps) {
  return (
    <>
      <span className={css['option']} title={name}>
        {name}
        {parent !== null && <span className={css['parent']}>{`in ${parent}`}</span>}
      </span>
      {isCurrent && <CheckIcon size={10} aria-hidden />}
    </>
  )
}
