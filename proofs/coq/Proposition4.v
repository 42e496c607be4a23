(** * Proposition 4: strongly safe k-anonymization alone is not differentially private

    k copies of a row are shown, k - 1 are not. *)

From Coq Require Import Reals Lra Psatz Lia List Bool Arith FunctionalExtensionality.
From Crowdproof Require Import Definitions Binomial OneCell Tight Expectation Amplification Anonymize.
Import ListNotations.
Open Scope R_scope.

Section Proposition4.
Variables Row Cell : Type.
Variable eqb : Cell -> Cell -> bool.
Hypothesis eqb_ok : forall c c', eqb c c' = true <-> c = c'.
Variable g : Row -> Cell.
Variable k : nat.
Hypothesis Hk : (1 <= k)%nat.
Notation anonymize := (anonymize Row Cell eqb g k).
Notation count := (count Row Cell eqb g).

Lemma shown_iff c D : anonymize (shown Cell c) D = one (k <=? count c D)%nat.
Proof. unfold Definitions.anonymize, shown, release, lump. destruct (count c D <? k)%nat eqn:A.
 - apply Nat.ltb_lt in A. replace (k <=? count c D)%nat with false by (symmetry; apply Nat.leb_gt; exact A). reflexivity.
 - apply Nat.ltb_ge in A. replace (k <=? count c D)%nat with true by (symmetry; apply Nat.leb_le; exact A). replace (1 <=? count c D)%nat with true by (symmetry; apply Nat.leb_le; lia). reflexivity. Qed.

Theorem not_private_add_remove (t : Row) e d : d < 1 -> ~ DP Row (neighbours Row) e d anonymize.
Proof. intros Hd H. destruct (H (shown Cell (g t)) _ _ (repeat_neighbours Row t (k - 1))) as [Q _].
 rewrite !shown_iff, !count_same in Q by assumption. replace (k <=? S (k - 1))%nat with true in Q by (symmetry; apply Nat.leb_le; lia).
 replace (k <=? k - 1)%nat with false in Q by (symmetry; apply Nat.leb_gt; lia). unfold one in Q. lra. Qed.

Theorem not_private_replace (t u : Row) e d : g t <> g u -> d < 1 -> ~ DP Row (replaced Row) e d anonymize.
Proof. intros Htu Hd H. set (m := (k - 1)%nat).
 assert (NB : replaced Row (repeat t (S m)) (u :: repeat t m)) by (exists [], t, u, (repeat t m); split; reflexivity).
 destruct (H (shown Cell (g t)) _ _ NB) as [Q _]. rewrite !shown_iff in Q.
 assert (C : count (g t) (u :: repeat t m) = m). { unfold Definitions.count. simpl. destruct (eqb (g u) (g t)) eqn:B. apply eqb_ok in B. congruence. fold (count (g t) (repeat t m)). apply count_same. exact eqb_ok. }
 rewrite C, count_same in Q by assumption. replace (k <=? S m)%nat with true in Q by (symmetry; apply Nat.leb_le; unfold m; lia).
 replace (k <=? m)%nat with false in Q by (symmetry; apply Nat.leb_gt; unfold m; lia). unfold one in Q. lra. Qed.

(** The degenerate exception: with one cell only, a replaced row changes nothing. *)
Theorem degenerate : (forall t u, g t = g u) -> DP Row (replaced Row) 0 0 anonymize.
Proof. intros Hg O D D' [l [t [u [l' [-> ->]]]]]. rewrite exp_0.
 assert (Q : anonymize O (l ++ t :: l') = anonymize O (l ++ u :: l')).
 { unfold Definitions.anonymize. f_equal. f_equal. extensionality c. unfold release. f_equal. unfold Definitions.count. rewrite !filter_app, !app_length. simpl. rewrite (Hg t u). destruct (eqb (g u) c); reflexivity. }
 rewrite Q. lra. Qed.

End Proposition4.
