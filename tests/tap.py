"""TAP for the tests in Python."""


def report(results):
    """Prints (passed, name, output) of each check, and the output of those that failed; the exit status of all."""
    failed = number = 0
    for number, (passed, name, output) in enumerate(results, 1):
        print(f"{'' if passed else 'not '}ok {number} - {name}", flush=True)
        if not passed:
            failed += 1
            print("".join(f"#   {line}\n" for line in output.splitlines()[:40]), end="")
    print(f"1..{number}")
    return failed > 0
