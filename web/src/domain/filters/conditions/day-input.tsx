import { ActionIcon, TextInput } from '@mantine/core'
import { useRef } from 'react'
import IconCalendar from '#icons/IconCalendar'
import css from './day-input.module.css'
import { finishedDay, isDay, shownDay, today, typedDay } from '../stages/filter-values.ts'

type DayInputProps = {
  label: string
  /** yyyy-MM-dd, or the typed text if it is not a day. */
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

/** A day, typed as mm/dd/yyyy or chosen from the browser's calendar, which ends today: there is no later data. */
export function DayInput({ label, value, error, onChange }: DayInputProps) {
  const calendar = useRef<HTMLInputElement>(null)
  return (
    <TextInput
      aria-label={label}
      placeholder="mm/dd/yyyy"
      maxLength={10}
      value={shownDay(value)}
      error={error}
      onChange={(event) => onChange(typedDay(event.currentTarget.value))}
      onBlur={() => {
        const finished = finishedDay(value)
        if (finished !== value) onChange(finished)
      }}
      rightSection={
        <span className={css['buttons']}>
          <input
            ref={calendar}
            type="date"
            className={css['calendar']}
            tabIndex={-1}
            aria-hidden
            max={today()}
            value={isDay(value) ? value : ''}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
          <ActionIcon
            size={24}
            aria-label={`Choose the ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
            onClick={() => calendar.current?.showPicker()}
          >
            <IconCalendar size={15} aria-hidden />
          </ActionIcon>
        </span>
      }
    />
  )
}
