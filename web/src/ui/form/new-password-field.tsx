import type { PasswordInputProps } from '@mantine/core'
import { type ReactNode, type Ref, useEffect, useState } from 'react'
import { PasswordField } from './password-field.tsx'
import type { Rate, Rating } from './password-rating.ts'
import css from './new-password-field.module.css'

const words = ['Very weak', 'Weak', 'Fair', 'Good', 'Strong'] as const
const commonPassword = 'This is one of the most common passwords. Choose another one.'

type NewPasswordFieldProps = Pick<PasswordInputProps, 'size' | 'required'> & {
  label?: string
  value?: string
  onChange: (value: string) => void
  error?: ReactNode
  /** Words that an attacker would try: the owner's email and name, the portal's names. */
  knownWords: readonly string[]
  ref?: Ref<HTMLInputElement>
}

/** A field for a new password: it can be shown, and its strength appears while typing. */
export function NewPasswordField({
  label = 'New password',
  value = '',
  error,
  knownWords,
  ...props
}: NewPasswordFieldProps) {
  const rating = useRating(value, knownWords)
  const { onChange, ...rest } = props
  return (
    <div>
      <PasswordField
        {...rest}
        label={label}
        name="new-password"
        autoComplete="new-password"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error || (rating?.isCommon && commonPassword)}
      />
      <Strength rating={value ? rating : null} isRefused={value !== '' && Boolean(error)} />
    </div>
  )
}

/** Shows the strength as a bar and in words; never praises a password that will be refused. */
function Strength({ rating, isRefused }: { rating: Rating | null; isRefused: boolean }) {
  const score = rating?.isCommon || (rating && isRefused) ? 0 : rating?.score
  return (
    <div className={css['strength']} data-score={score}>
      <div className={css['bar']} aria-hidden>
        {words.slice(1).map((word, index) => (
          <span key={word} data-on={isLit(score, index) || undefined} />
        ))}
      </div>
      <output className={css['word']}>
        {score === undefined
          ? 'Use several unrelated words for a strong password.'
          : isRefused
            ? 'Not accepted'
            : `${words[score]} password`}
      </output>
    </div>
  )
}

/** The weakest password shows a bar too: an empty meter means an empty field. */
const isLit = (score: Rating['score'] | undefined, index: number): boolean =>
  score !== undefined && Math.max(score, 1) > index

/** Null before the first key, and if the rating code failed to load: then only the server judges. */
function useRating(password: string, knownWords: readonly string[]): Rating | null {
  const [rate, setRate] = useState<Rate | null>(null)
  const isTyped = password !== ''
  useEffect(() => {
    if (!isTyped) return
    import('./password-rating.ts').then(
      (loaded) => setRate(() => loaded.rate),
      () => undefined,
    )
  }, [isTyped])
  return isTyped && rate ? rate(password, knownWords) : null
}
