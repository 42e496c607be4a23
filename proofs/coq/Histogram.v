(** * The histogram without its small bins is crowd-blending; the first attempt at the definition is differential privacy *)

From Coq Require Import Reals Lra Psatz Lia List Bool Arith Permutation FunctionalExtensionality.
From Crowdproof Require Import Definitions Binomial Expectation Amplification Proposition4.
Import ListNotations.
Open Scope R_scope.

Section Histogram.
Variables Row Cell : Type.
Variable eqb : Cell -> Cell -> bool.
Hypothesis eqb_ok : forall c c', eqb c c' = true <-> c = c'.
Variable g : Row -> Cell.
Variable k : nat.
Notation anonymize := (anonymize Row Cell eqb g k).
Notation count := (count Row Cell eqb g).

Lemma same_cell t u : g t = g u -> alike Row 1 anonymize t u.
Proof. intros H O l. assert (Q : anonymize O (t :: l) = anonymize O (u :: l)).
 { unfold Definitions.anonymize. f_equal. f_equal. extensionality c. unfold release, Definitions.count. simpl. rewrite H. destruct (eqb (g u) c); reflexivity. }
 rewrite Q. lra. Qed.

Lemma split_by (q : Row -> bool) s : Permutation s (filter q s ++ filter (fun r => negb (q r)) s).
Proof. induction s; simpl. apply perm_nil. destruct (q a); simpl. apply perm_skip. exact IHs. eapply perm_trans. apply perm_skip. exact IHs. apply Permutation_middle. Qed.

Theorem histogram_blends : crowd_blending Row k 1 anonymize.
Proof. intros t s. destruct (le_lt_dec k (count (g t) (t :: s))) as [L|L].
 - left. exists (filter (fun r => eqb (g r) (g t)) (t :: s)), (filter (fun r => negb (eqb (g r) (g t))) (t :: s)). split. apply split_by. split. exact L.
   apply Forall_forall. intros u Hu. apply filter_In in Hu. destruct Hu as [_ Hu]. apply eqb_ok in Hu. apply same_cell. symmetry. exact Hu.
 - right. intro O. assert (Q : anonymize O (t :: s) = anonymize O s).
   { unfold Definitions.anonymize. f_equal. f_equal. extensionality c. unfold release. destruct (eqb (g t) c) eqn:B.
     - apply eqb_ok in B. subst c. assert (C : (count (g t) s <= count (g t) (t :: s))%nat) by (unfold Definitions.count; simpl; destruct (eqb (g t) (g t)); simpl; lia).
       unfold lump. replace (count (g t) (t :: s) <? k)%nat with true by (symmetry; apply Nat.ltb_lt; exact L). replace (count (g t) s <? k)%nat with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity.
     - f_equal. unfold Definitions.count. simpl. rewrite B. reflexivity. }
   rewrite Q. lra. Qed.

End Histogram.

Section First_attempt.
Variable Row : Type.
Variable Event : Type.
Variable A : Event -> list Row -> R.

Theorem first_attempt k x : (2 <= k)%nat -> (forall t s, (k <= length (t :: s))%nat -> crowd Row x A k t (t :: s)) -> forall t u, alike Row x A t u.
Proof. intros Hk H t u. destruct (H t (repeat u (k - 1))) as [c [o [P [L F]]]]. simpl. rewrite repeat_length. lia.
 assert (N : length o = 0%nat). { apply Permutation_length in P. rewrite app_length in P. simpl in P. rewrite repeat_length in P. lia. }
 destruct o; [| discriminate]. rewrite app_nil_r in P. rewrite Forall_forall in F. apply F. apply (Permutation_in u P). right. destruct (k - 1)%nat eqn:Q; [lia |]. left. reflexivity. Qed.

End First_attempt.
