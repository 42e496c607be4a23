(** * Theorem 1: a smaller sampling rate gives more privacy

    A sample at rate b2 is a sample at rate b2/b1 of a sample at rate b1 ([two_stage]). Given the first sample, the
    target was drawn in the second with probability a = b2/b1 ([E_insert]): with X the probability of the event without
    the target and Y with it, the event has probability (1-a) X + a Y. [with_target], [without_target]: the two
    inequalities of Appendix A.1. *)

From Coq Require Import Reals Lra Psatz Lia List.
From Crowdproof Require Import Definitions Binomial Expectation.
Import ListNotations.
Open Scope R_scope.

Lemma exp_at_least_1 e : 0 <= e -> 1 <= exp e.
Proof. intro He. rewrite <- exp_0. destruct He as [He|He]. left; apply exp_increasing; exact He. right; rewrite <- He; reflexivity. Qed.

Lemma with_target X Y a x d : 0 < a < 1 -> Y <= x * X + d -> (1 - a) * X + a * Y <= (1 + a * (x - 1)) * X + a * d.
Proof. intros Ha H. nra. Qed.

Lemma without_target X Y a x d : 0 < a < 1 -> 1 <= x -> 0 <= d -> 0 <= X -> 0 <= Y -> X <= x * Y + d -> X <= (1 + a * (x - 1)) * ((1 - a) * X + a * Y) + a * d.
Proof. intros Ha Hx Hd HX HY H. destruct (Rle_dec X Y) as [L|G].
 - assert (0 <= a * (Y - X)) by nra. assert (0 <= a * (x - 1) * ((1 - a) * X + a * Y)) by (apply Rmult_le_pos; nra). nra.
 - assert (0 <= (1 - a) * (x - 1) * (X - Y)) by (apply Rmult_le_pos; [apply Rmult_le_pos |]; nra). nra. Qed.

Section Amplification.
Variable Row : Type.
Notation E := (E Row).

Theorem amplification (Event : Type) (A : Event -> list Row -> R) b1 b2 e1 d1 :
  (forall O T, 0 <= A O T) -> 0 < b2 -> b2 < b1 -> b1 <= 1 -> 0 <= e1 -> 0 <= d1 ->
  DPS Row b1 e1 d1 A -> DPS Row b2 (ln (1 + b2 / b1 * (exp e1 - 1))) (b2 / b1 * d1) A.
Proof. intros Hpos H2 Hlt H1 He Hd [Hdb HA]. set (a := b2 / b1).
 assert (Ha : 0 < a < 1). { unfold a; split. apply Rdiv_lt_0_compat; lra. apply Rmult_lt_reg_r with b1. lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
 assert (Hab : a * b1 = b2) by (unfold a; field; lra). assert (Hx := exp_at_least_1 e1 He).
 split. rewrite <- Hab. apply Rmult_lt_compat_l; lra.
 rewrite exp_ln by nra. intros O D D' [l [t [l' [-> ->]]]]. rewrite <- Hab. rewrite <- !two_stage. rewrite E_insert. set (P := fun s => E b1 s (A O)).
 set (X := E a (l ++ l') P). set (Y := E a l (fun s => E a l' (fun s' => P (s ++ t :: s')))).
 assert (HX : X = E a l (fun s => E a l' (fun s' => P (s ++ s')))) by (unfold X; apply E_app).
 assert (HP : forall s, 0 <= P s) by (intro s; apply E_nn; [lra | apply Hpos]).
 assert (NB : forall s s', neighbours Row (s ++ t :: s') (s ++ s')) by (intros s s'; exists s, t, s'; split; reflexivity).
 assert (A1 : Y <= exp e1 * X + d1). { rewrite HX. unfold Y. apply E_bound. lra. intro s. apply E_bound. lra. intro s'. apply (HA O _ _ (NB s s')). }
 assert (A2 : X <= exp e1 * Y + d1). { rewrite HX. unfold Y. apply E_bound. lra. intro s. apply E_bound. lra. intro s'. apply (HA O _ _ (NB s s')). }
 assert (X0 : 0 <= X) by (apply E_nn; [lra | exact HP]).
 assert (Y0 : 0 <= Y) by (apply E_nn; [lra |]; intro s; apply E_nn; [lra |]; intro s'; apply HP).
 split. apply with_target; assumption. apply without_target; assumption. Qed.

End Amplification.
