"""What a rule may say: findings, evidence, causes, fixes, severities."""
