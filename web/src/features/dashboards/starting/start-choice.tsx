import { Text } from '@mantine/core'
import { useId } from 'react'
import type { AccountData } from '../adding/account-data.ts'
import css from './start-choice.module.css'
import { StartPicture } from './start-picture.tsx'
import { type StartName, startNames, starts } from './templates.ts'

type StartChoiceProps = {
  data: AccountData
  /** The account's data is not known yet. */
  isPending: boolean
  value: StartName
  onChange: (start: StartName) => void
}

/** The choice between an empty dashboard and templates. Templates that the account lacks data for say which. */
export function StartChoice({ data, isPending, value, onChange }: StartChoiceProps) {
  const id = useId()
  return (
    <fieldset className={css['choice']}>
      <legend className={css['legend']}>Start with</legend>
      {startNames.map((start) => {
        const { title, sentence, lacks } = starts[start]
        const missing = isPending ? null : lacks(data)
        const isUsable = missing === null && (start === 'empty' || !isPending)
        return (
          <label key={start} className={css['start']} data-disabled={!isUsable || undefined}>
            <input
              type="radio"
              name={id}
              className={css['radio']}
              value={start}
              checked={value === start}
              disabled={!isUsable}
              aria-labelledby={`${id}-${start}-title`}
              aria-describedby={`${id}-${start}-sentence`}
              onChange={() => onChange(start)}
            />
            <StartPicture start={start} />
            <span>
              <span id={`${id}-${start}-title`} className={css['title']}>
                {title}
              </span>
              <Text component="span" id={`${id}-${start}-sentence`} size="xs" c="dimmed">
                {missing ?? sentence}
              </Text>
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}
