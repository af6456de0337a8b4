import { Loader } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Fragment } from 'react'
import IconFilter from '#icons/IconFilter'
import { messageOf } from '#lib/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { type Condition, type ConditionField, describeCondition, isComplete, stagesOf } from './conditions.ts'
import { useMatchingCount } from './exports-queries.ts'
import css from './matching-contacts.module.css'

type MatchingContactsProps = { conditions: Condition[]; fields: ConditionField[] }

/** The filter in words, and how many contacts it finds. */
export function MatchingContacts({ conditions, fields }: MatchingContactsProps) {
  const canCount = conditions.every((condition) => isComplete(condition, fields))
  return (
    <div className={css['bar']}>
      <IconFilter size={16} className={css['icon']} aria-hidden />
      <span className={css['text']}>
        {conditions.length === 0 && 'All contacts'}
        {conditions.map((condition, index) => (
          <Fragment key={condition.key}>
            {index > 0 && <span className={css['and']}> and </span>}
            <b>{condition.field || 'Field'}</b> {describeCondition(condition, fields)}
          </Fragment>
        ))}
      </span>
      <output className={css['count']}>
        {canCount ? <Count stages={JSON.stringify(stagesOf(conditions, fields))} /> : 'Complete the conditions'}
      </output>
    </div>
  )
}

const typingPauseMs = 400

/** `stages` as JSON, so that the same filter is the same value. */
function Count({ stages }: { stages: string }) {
  const [settled] = useDebouncedValue(stages, typingPauseMs)
  const isSettled = settled === stages
  // Written by `stagesOf` just above.
  const count = useMatchingCount(isSettled ? (JSON.parse(stages) as Record<string, unknown>[]) : null)
  if (count.isError && isSettled) return <span className={css['problem']}>{messageOf(count.error)}</span>
  if (!isSettled || count.data === undefined || count.isPlaceholderData) {
    return <Loader size={14} aria-label="Counting the contacts" />
  }
  return formatCount(count.data, 'record')
}
